import { Document, visit } from 'yaml';
import { LEFT_IN_STRINGS } from '../../base/printable.ts';

/** A document as one YAML text, without aliases. Characters that a terminal would obey are written as escapes. */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      // Only in double quotes can a character be written by its number.
      if (typeof node.value === 'string' && node.value.search(LEFT_IN_STRINGS) >= 0) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString().replace(LEFT_IN_STRINGS, (one) => `\\U${(one.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`);
}
