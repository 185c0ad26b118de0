import { LONGEST_QUERY } from '../api/limits.ts';
import type { QueryVariables } from './query-variables.ts';
import { TemplateRun } from './template-run.ts';
import { parseTemplate, type TemplateNode } from './template-syntax.ts';
import { TemplateError } from './template-tokens.ts';

export type { QueryVariables } from './query-variables.ts';

const sample: QueryVariables = { name: '', namespace: '', target: '', service: '', ingress: '', route: '', interval: '', variables: {} };
/** Length of an action in a message, in characters. */
const MOST_SHOWN = 60;

/**
 * A query with its placeholders filled in. The language is Go's text/template: calls, fields of `variables`, literals, pipes, parentheses, `$v :=`, if, with,
 * range, comments, trim markers and its functions; without templates within templates and `call`. A missing variable is an error, and the error
 * names the place of the mistake and its action.
 */
export function renderQuery(template: string, variables: QueryVariables): { query: string } | { error: string } {
  try {
    return { query: new TemplateRun(variables, false).text(parsed(template)) };
  } catch (error) {
    return { error: located(template, error) };
  }
}

/** The mistake in a template that can be found without the variables' values; undefined if it has none. */
export function checkTemplate(text: string): string | undefined {
  try {
    new TemplateRun(sample, true).text(parsed(text));
    return undefined;
  } catch (error) {
    return located(text, error);
  }
}

function parsed(template: string): TemplateNode[] {
  if (template.length > LONGEST_QUERY)
    throw new TemplateError(
      0,
      `it is longer than ${LONGEST_QUERY} characters: shorten spec.query of the MetricTemplate, or query of the metric`,
    );
  return parseTemplate(template);
}

function located(template: string, error: unknown): string {
  if (!(error instanceof TemplateError)) throw error;
  const lines = template.slice(0, error.at).split('\n');
  const place = `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
  return `query template ${place}, in ${actionAround(template, error.at)}: ${error.message}`;
}

/** The text of the action with the mistake, on one line. */
function actionAround(template: string, at: number): string {
  const open = Math.max(0, template.lastIndexOf('{{', at + 1));
  const close = template.indexOf('}}', open);
  const text = template.slice(open, close < 0 ? undefined : close + 2).replace(/\s+/g, ' ');
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
