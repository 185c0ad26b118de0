import { stringify } from 'yaml';

/** A document as one YAML text; whatever stands in it twice is written twice. */
export const toYaml = (document: unknown): string => stringify(document, { aliasDuplicateObjects: false });
