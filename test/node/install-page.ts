import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { docBlocks, sectionScript } from '../scenarios/doc-commands.ts';

const PAGE = 'install.md';
const TEXT = readFileSync(join(import.meta.dirname, '..', '..', 'docs', PAGE), 'utf8');

/** Registry of charts and version that docs/install.md has as an example. */
const EXAMPLE = { chart: 'oci://ghcr.io/OWNER/charts/serin --version 1.2.3', version: '1.2.3' };

/** A release, instead of that example. */
export interface Found {
  /** `registry.example.com/serin/charts` */
  charts: string;
  version: string;
}

/** The commands of docs/install.md for a user of a release; each function throws where the page has none. */
export const documented = {
  /** From the installation to an application that is initialized. */
  install: (found: Found): string => asFound(sectionScript(PAGE, 'From a release'), found),
  upgrade: (found: Found): string => asFound(sectionScript(PAGE, 'Upgrading').replace(' charts/serin ', ` ${EXAMPLE.chart} `), found),
  goBack: (): string => line(/`(helm rollback [^`]+)`/),
  test: (): string => line(/^(helm test .*)$/m),
  /** The section's example is an application in the namespace `test`. */
  deleteCanaries: (namespace: string): string => line(/^(kubectl delete canary .*)$/m).replace('-n test', `-n ${namespace}`),
  handedOver: (namespace: string): string => line(/^(kubectl -n test get controllerrevisions .*)$/m).replace('-n test', `-n ${namespace}`),
  uninstall: (): string => line(/^(helm uninstall .*)$/m),
  deleteDefinitions: (): string => line(/^(kubectl delete crd .*)$/m),
  /** The README's release of the quick start, by the executable of the release, as docs/install.md says. */
  release(): string {
    const [before, after] = /with `(\S+)` for `(npx node \S+)`/.exec(TEXT)?.slice(1) ?? [];
    const found = docBlocks('../README.md').find(({ heading, terminal }) => heading === 'Quick start on kind' && terminal === undefined);
    if (before === undefined || after === undefined || found === undefined) throw new Error(`docs/${PAGE} does not say how to release`);
    return found.script.replaceAll(after, before);
  },
};

function line(pattern: RegExp): string {
  const [, command] = pattern.exec(TEXT) ?? [];
  if (command === undefined) throw new Error(`docs/${PAGE} has no command ${pattern}`);
  return command;
}

/** As the page says of a registry without TLS: with `--plain-http`. */
function asFound(script: string, { charts, version }: Found): string {
  if (!script.includes(EXAMPLE.chart)) throw new Error(`docs/${PAGE} has no ${EXAMPLE.chart} in\n${script}`);
  return script.replace(EXAMPLE.chart, `oci://${charts}/serin --version ${version} --plain-http`).replaceAll(EXAMPLE.version, version);
}
