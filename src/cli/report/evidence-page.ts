import type { EvidencePoint } from '../../reading/documents/compared-report.ts';
import { evidencePlots } from '../output/evidence-plots.ts';
import { escapeXml } from '../output/text.ts';
import { plotSvg } from '../rehearse/html/plot.ts';
import { style } from '../rehearse/html/style.ts';

/** Growth of the evidence of one release, as a page that loads nothing and runs nothing. */
export function evidencePage(title: string, points: readonly EvidencePoint[]): string {
  const toSeconds = Math.max(60, ...points.map(({ seconds }) => seconds));
  const plots = evidencePlots(points).map((plot) => plotSvg({ ...plot, fromSeconds: 0, toSeconds, marks: [] }));
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeXml(title)}</h1>`,
    ...plots,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
