import { escapeXml } from '../output/text.ts';
import type { RehearsalMistake, RehearsalReport } from './rehearsal-report.ts';
import { outcomeWords } from './words.ts';

const NEWLINE = '\n';

/** A test suite for the manifests and one for each Canary, with a case for each scenario. */
export function junitReport({ mistakes, rehearsals }: RehearsalReport): string {
  const canaries = Map.groupBy(rehearsals, ({ namespace, name }) => `${namespace}/${name}`);
  const general = mistakes.filter(({ scenario }) => scenario === undefined);
  const suites = [
    suite('manifests', [testCase('manifests', 'no mistake is found', 0, general)]),
    ...[...canaries].map(([key, results]) =>
      suite(
        key,
        results.map((result) => {
          const own = mistakes.filter(({ scenario, object }) => scenario === result.scenario.name && object?.name === result.name);
          return testCase(key, result.scenario.name, result.seconds.total, own, outcomeWords(result));
        }),
      ),
    ),
  ];
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="serin rehearse">', ...suites, '</testsuites>', ''].join(NEWLINE);
}

interface Case {
  text: string;
  isFailed: boolean;
}

function suite(name: string, cases: readonly Case[]): string {
  const failures = cases.filter(({ isFailed }) => isFailed).length;
  const head = `  <testsuite name="${escapeXml(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="0">`;
  return [head, ...cases.map(({ text }) => text), '  </testsuite>'].join(NEWLINE);
}

/** `seconds` are of the release, not of the rehearsal. */
function testCase(suiteName: string, name: string, seconds: number, mistakes: readonly RehearsalMistake[], outcome?: string): Case {
  const errors = mistakes.filter(({ severity }) => severity === 'error');
  const warnings = mistakes.filter(({ severity }) => severity === 'warning');
  const failures = errors.map(
    ({ rule, message, file, line }) =>
      `      <failure type="${escapeXml(rule)}" message="${escapeXml(message)}">${escapeXml(file === undefined ? '' : `${file}:${line ?? 1}`)}</failure>`,
  );
  const said = [...(outcome === undefined ? [] : [outcome]), ...warnings.map(({ message }) => `warning: ${message}`)];
  const text = [
    `    <testcase classname="${escapeXml(suiteName)}" name="${escapeXml(name)}" time="${seconds}">`,
    ...failures,
    ...(said.length > 0 ? [`      <system-out>${escapeXml(said.join(NEWLINE))}</system-out>`] : []),
    '    </testcase>',
  ].join(NEWLINE);
  return { text, isFailed: errors.length > 0 };
}
