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

// What takes less than `limit`, ms or times as long, does so once in three times: others are at work on a machine, too.
async function within(limit, where, what, measured) {
    let least = Infinity;
    for (let n = 0; n < 3 && least >= limit; n++) least = Math.min(least, await measured());
    expect(least < limit, where, `${what} after ${least.toFixed(1)}, and ${limit} is the limit`);
    return least;
}

module.exports = { expect, shown, counted, within };
