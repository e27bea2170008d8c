// Ranks what a search finds: answers to questions first, the history of the project last.
var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    score + (/^how-to\/(?!index)/.test(page) ? 14 : page === "tutorial" ? 4 : /^(project|decisions|benchmarks)/.test(page) ? -12 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
