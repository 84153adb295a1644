// What is looked at, and what is wrong with it: a line a problem.
'use strict';

let looked = 0, problems = 0;
function expect(what, where, sentence) {
    looked++;
    if (what) return;
    problems++;
    console.log(`${where}: ${sentence}`);
}
const shown = (text) => JSON.stringify(text.length > 90 ? text.slice(0, 90) + '…' : text);
const counted = () => ({ looked, problems });

// What takes less than `limit`, ms or times as long, in the median of three; the third is not asked for when two agree.
async function within(limit, where, what, measured) {
    const took = [await measured(), await measured()].sort((a, b) => a - b);
    if (took[0] < limit && took[1] >= limit) took.push(await measured());
    const middle = took.sort((a, b) => a - b)[1];
    expect(middle < limit, where, `${what} after ${middle.toFixed(1)}, and ${limit} is the limit`);
    return middle;
}

module.exports = { expect, shown, counted, within };
