import manifest from '../../package.json' with { type: 'json' };

const OLDEST = manifest.engines.node.replace('>=', '');

/** Reason for which the program cannot run on this version of Node, as `process.versions.node` names it; `undefined` if it can. */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = numbersOf(version);
  const [oldestMajor = 0, oldestMinor = 0] = numbersOf(OLDEST);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return undefined;
  return `Serin needs Node ${OLDEST} or newer, and this is Node ${version}: install a newer one; in a checkout \`npx node\` runs the version that \`npm ci\` installed`;
}

const numbersOf = (version: string): number[] => version.split('.').map(Number);
