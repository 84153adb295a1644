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

module.exports = { expect, shown, counted };
