import type { Command } from 'commander';

type CommandOption = Command['options'][number];

/** A cell of a Markdown table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|');

/** Purpose of an option, its values, and its default. */
export function optionHelp({ description, defaultValue, defaultValueDescription, argChoices }: CommandOption): string {
  const choices = argChoices ? `; one of ${argChoices.join(', ')}` : '';
  const shown = defaultValueDescription ?? (typeof defaultValue === 'string' ? defaultValue : undefined);
  return `${description}${choices}${shown === undefined ? '' : `; default ${shown}`}`;
}

/** A table of those options that the help shows. */
export function optionRows(options: readonly CommandOption[]): string {
  const rows = options.filter(({ hidden }) => !hidden).map((one) => `| \`${cell(one.flags)}\` | ${cell(optionHelp(one))} |`);
  return ['| flag | |', '|---|---|', ...rows].join('\n');
}
