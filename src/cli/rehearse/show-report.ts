import { numbered } from '../../base/printable.ts';
import type { Output } from '../output/output.ts';
import type { RehearsalReport } from './rehearsal-report.ts';
import type { rehearsalFormats } from './rehearse-flags.ts';
import { reportLines } from './text-report.ts';

/** Writes the report to stdout. Renderers of html, junit and sarif are loaded only when they are needed. */
export async function showReport(report: RehearsalReport, format: (typeof rehearsalFormats)[number], output: Output): Promise<void> {
  switch (format) {
    case 'text':
    case 'wide':
    case 'json':
    case 'yaml': {
      const names = [...new Set(report.rehearsals.map(({ name }) => `canary.flagger.app/${name}`))];
      return output.show({ document: report, names, lines: (terminal, wide) => reportLines(report, terminal, wide) });
    }
    case 'html':
      return output.write((await import('./html/page.ts')).htmlReport(report));
    case 'junit':
      return output.write((await import('./junit-report.ts')).junitReport(report));
    case 'sarif':
      return output.write(numbered(`${JSON.stringify((await import('./sarif-report.ts')).sarifReport(report), undefined, 2)}\n`));
    default:
      format satisfies never;
  }
}
