import { curl } from './curl.ts';
import { curlOptions } from './curl-options.ts';
import { FilterWork, FilterWorkExceeded } from './filter-work.ts';
import { type Grep, grep } from './grep.ts';
import { hey } from './hey.ts';
import { heyOptions } from './hey-options.ts';
import type { Program } from './program.ts';
import type { TargetPolicy } from './target-policy.ts';
import { commandLine } from './words.ts';

export interface NativeLimits {
  policy: TargetPolicy;
  /** Limit of a task. */
  timeoutMs: number;
}

/**
 * The commands that run without a process and without a shell: `hey`, `curl`, and `curl` into `grep`. `problem` says why another one does not, in
 * words for the Canary's event; of the command they show its first word and nothing that could be a credential.
 */
export function nativeCommand(text: string, limits: NativeLimits): Program | { problem: string } {
  const line = commandLine(text);
  if ('beyond' in line) return { problem: `the command has ${line.beyond}, which only a shell reads` };
  const [first = [], ...filters] = line.pipeline;
  const [name = '', ...words] = first;
  if (name === 'hey' && filters.length === 0) {
    const options = heyOptions(words, limits);
    return 'problem' in options ? options : hey(options, limits.policy);
  }
  if (name === 'curl') return curlInto(words, filters, limits.policy);
  if (name === 'hey') return { problem: 'hey into another command cannot run here' };
  return { problem: isProgramName(name) ? `${name} cannot run here` : 'this form of command cannot run here' };
}

/** Any other word, such as `TOKEN=…`, can contain a secret. */
const isProgramName = (word: string): boolean => /^[-./\w]{1,40}$/.test(word);

function curlInto(words: readonly string[], filters: readonly (readonly string[])[], policy: TargetPolicy): Program | { problem: string } {
  const options = curlOptions(words);
  if ('problem' in options) return options;
  const greps: Grep[] = [];
  for (const [name, ...rest] of filters) {
    const filter = name === 'grep' ? grep(rest) : { problem: 'what curl prints goes into grep here, and into no other command' };
    if ('problem' in filter) return filter;
    greps.push(filter);
  }
  return {
    name: 'curl',
    secrets: options.secrets,
    async run({ output, signal }) {
      const result = await curl(options, policy, signal);
      let { exitCode, stdout } = result;
      const work = new FilterWork(signal);
      try {
        for (const { filter } of greps) ({ exitCode, stdout } = await filter(stdout, work));
      } catch (error) {
        if (!(error instanceof FilterWorkExceeded)) throw error;
        return { ok: false, why: 'its filters take more than 10 million steps: shorten a pattern, or what curl requests' };
      }
      const greppedOut = exitCode !== 0 && result.exitCode === 0 && greps.length > 0;
      // If no line was found, the user needs to see the whole output.
      output.write(`${greppedOut ? result.stdout : stdout}${result.stderr}`);
      if (exitCode === 0) return { ok: true };
      if (greppedOut) return { ok: false, why: 'grep found no such line in what curl was answered' };
      return { ok: false, why: `curl ended with exit code ${result.exitCode || exitCode}` };
    },
  };
}
