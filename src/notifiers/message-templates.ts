import { parse } from 'yaml';
import { isRecord } from '../base/json.ts';
import type { AlertMessage } from './notifier.ts';
import { fillTemplate } from './render-template.ts';
import { templateProblem, variablesOf } from './template-variables.ts';

/** Kinds of alert that can have a text of their own, by their reason; `default` is for those without. */
export const templateKinds = ['Initialized', 'NewRevision', 'GateClosed', 'Succeeded', 'Failed', 'PromotionFailed', 'default'] as const;

/** Characters of a file, and of one template. */
export const MOST_FILE = 65_536;
export const MOST_TEMPLATE = 2_048;

/** The operator's text for an alert, `undefined` for the default text. `problem` is for the log. */
export type MessageTemplates = (message: AlertMessage) => { text: string } | { problem: string } | undefined;

/** The templates of a file in YAML, or what is wrong with it: the key, and what to do. */
export function readMessageTemplates(file: string): { templates: MessageTemplates } | { problem: string } {
  if (file.length > MOST_FILE) return { problem: `it is longer than ${MOST_FILE} characters: shorten it` };
  const found = parsed(file);
  if ('problem' in found) return found;
  for (const [kind, template] of Object.entries(found.texts)) {
    const problem = problemOf(kind, template);
    if (problem !== undefined) return { problem: `${kind}: ${problem}` };
  }
  const texts = new Map(Object.entries(found.texts).map(([kind, template]) => [kind, String(template)]));
  return {
    templates(message) {
      const kind = texts.has(message.reason) ? message.reason : 'default';
      const template = texts.get(kind);
      if (template === undefined) return undefined;
      const text = rendered(template, message);
      return text === '' ? { problem: `${kind}: it gives no text for this alert: give it words of its own` } : { text };
    },
  };
}

function parsed(file: string): { texts: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = parse(file);
    if (value === null) return { texts: {} };
    if (isRecord(value)) return { texts: value };
    return { problem: `it must be a map from kinds of alert to texts, like Failed: "{{name}} was rolled back"` };
  } catch (error) {
    return { problem: `it is not YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'it cannot be read'}` };
  }
}

function problemOf(kind: string, template: unknown): string | undefined {
  if (!templateKinds.some((known) => known === kind)) return `no kind of alert has this name: use one of ${templateKinds.join(', ')}`;
  if (typeof template !== 'string' || template.trim() === '') return 'it must be a text that is not empty: write it, or remove the key';
  if (template.length > MOST_TEMPLATE) return `it is longer than ${MOST_TEMPLATE} characters: shorten it`;
  return templateProblem(template);
}

function rendered(template: string, message: AlertMessage): string {
  return fillTemplate(template, variablesOf(message)).trim();
}
