/** Light and dark as the reader's system has it; on paper always light. Colour-blind readers can distinguish the lines, which have names. */
export const style = `
:root { color-scheme: light dark; --bg: #fff; --fg: #1b1f24; --dim: #57606a; --rule: #d0d7de; --card: #f6f8fa;
  --good: #116329; --bad: #a40e26; --busy: #7d4e00; --s1: #0550ae; --s2: #bc4c00; --s3: #57606a; --s4: #6639ba; --limit: #a40e26; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d1117; --fg: #e6edf3; --dim: #9da7b1; --rule: #30363d; --card: #161b22;
  --good: #56d364; --bad: #ff7b72; --busy: #e3b341; --s1: #79c0ff; --s2: #ffa657; --s3: #9da7b1; --s4: #d2a8ff; --limit: #ff7b72; } }
@media print { :root { color-scheme: light; --bg: #fff; --fg: #000; --dim: #333; --rule: #999; --card: #fff; --good: #116329; --bad: #a40e26;
  --busy: #7d4e00; --s1: #0550ae; --s2: #bc4c00; --s3: #57606a; --s4: #6639ba; --limit: #a40e26; }
  section > details > summary { display: none; } section > details::details-content { content-visibility: visible; display: block; }
  figure, tr, .mistake { break-inside: avoid; } section { break-before: page; } section:first-of-type { break-before: auto; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1rem; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.25rem; margin: 2rem 0 .25rem; border-top: 1px solid var(--rule); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
p, li, td, th, figcaption { overflow-wrap: anywhere; }
.good { color: var(--good); } .bad { color: var(--bad); } .busy { color: var(--busy); } .dim, .unit { color: var(--dim); }
.verdict { font-weight: 600; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); }
.scroll td, .scroll th { overflow-wrap: normal; } td.wide { overflow-wrap: anywhere; min-width: 12rem; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.mistake { background: var(--card); border-left: 4px solid var(--busy); padding: .5rem .75rem; margin: .5rem 0; }
.mistake.error { border-color: var(--bad); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: .75rem; min-width: 0; }
figcaption { font-weight: 600; } .unit { font-weight: 400; }
svg { width: 100%; height: auto; display: block; }
.grid { stroke: var(--rule); } .mark { stroke: var(--dim); stroke-dasharray: 2 3; }
.tick { fill: var(--dim); font-size: 12px; }
@media (max-width: 600px) { .tick { font-size: 20px; } }
.line { fill: none; stroke-width: 2; } .dashed { stroke-dasharray: 6 4; }
.line.s1 { stroke: var(--s1); } .line.s2 { stroke: var(--s2); } .line.s3 { stroke: var(--s3); } .line.s4 { stroke: var(--s4); } .line.limit { stroke: var(--limit); }
.legend { list-style: none; margin: .25rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .85rem; }
.key { display: inline-block; width: 1.5rem; border-top: 3px solid; margin: 0 .4rem .25rem 0; vertical-align: middle; } .key.dashed { border-top-style: dashed; }
.key.s1 { color: var(--s1); } .key.s2 { color: var(--s2); } .key.s3 { color: var(--s3); } .key.s4 { color: var(--s4); } .key.limit { color: var(--limit); }
summary { cursor: pointer; margin: .75rem 0; font-weight: 600; }
code, pre { font: .85em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
a { color: var(--s1); }
`;
