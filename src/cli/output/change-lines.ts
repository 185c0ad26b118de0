import type { TimelineEntry } from '../rehearse/rehearsal-report.ts';
import { type Meaning, paint } from './paint.ts';
import type { Terminal } from './terminal.ts';
import { cleaned } from './text.ts';

type FieldChange = Extract<TimelineEntry, { kind: 'write' }>['changes'][number];

/** A field that changes, with its value before and after, where it has one. */
export function changeLines({ field, before, after }: FieldChange, terminal: Terminal, indent = ''): string[] {
  const line = (sign: string, value: string | undefined, meaning: Meaning) =>
    value === undefined ? [] : [paint(`${indent}  ${sign} ${cleaned(value, terminal)}`, meaning, terminal)];
  return [`${indent}${cleaned(field, terminal)}`, ...line('-', before, 'bad'), ...line('+', after, 'good')];
}
