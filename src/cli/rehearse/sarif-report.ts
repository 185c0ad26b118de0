import { version } from '../../base/version.ts';
import type { MistakeCode } from '../../rehearsal/mistakes.ts';
import type { RehearsalMistake, RehearsalReport } from './rehearsal-report.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
/** The mistake that each rule finds. */
export const RULES: Readonly<Record<string, string>> = {
  validate: 'A finding of serin validate',
  'bad-version-promoted': 'A version that harms users is promoted',
  'good-version-not-promoted': 'A version without a fault is not promoted',
  'not-started': 'No release can start',
  'not-rehearsed': 'The Canary cannot be rehearsed',
  'fewer-pods': 'A workload has more pods than are modelled',
  'object-refused': 'The API server refuses an object',
  'check-never-measured': 'A check is never measured',
  'new-version-unseen': 'No user reaches the new version',
  'new-version-untried': 'Nothing sends requests to the new version',
  'rolled-back-late': 'A version that harms users is rolled back late',
  'thin-evidence': 'No check is decided by enough requests',
} satisfies Record<MistakeCode | 'validate' | 'not-rehearsed' | 'fewer-pods', string>;

/** SARIF 2.1.0, as code scanning services read it. */
export function sarifReport({ mistakes }: RehearsalReport): object {
  const used = [...new Set(mistakes.map(({ rule }) => rule))];
  const rules = used.map((id) => ({ id, shortDescription: { text: RULES[id] ?? id } }));
  const driver = { name: 'serin rehearse', semanticVersion: version, rules };
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, results: mistakes.map(resultOf) }] };
}

function resultOf({ severity, rule, message, field, file, line = 1, scenario }: RehearsalMistake): object {
  const text = [scenario === undefined ? '' : `scenario ${scenario}: `, field === undefined ? '' : `${field}: `, message].join('');
  const physicalLocation = { artifactLocation: { uri: uriOf(file ?? '') }, region: { startLine: line } };
  return { ruleId: rule, level: severity, message: { text }, ...(file !== undefined && { locations: [{ physicalLocation }] }) };
}

const uriOf = (file: string): string => encodeURI(file.toWellFormed().replaceAll('\\', '/').replace(/^\.\//, ''));
