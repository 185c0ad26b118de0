import { curlOptions } from '../../src/loadtester/curl-options.ts';
import { grep } from '../../src/loadtester/grep.ts';
import { heyOptions } from '../../src/loadtester/hey-options.ts';
import { mask } from '../../src/loadtester/mask.ts';
import { readPayload } from '../../src/loadtester/payload.ts';
import { requestHeader, requestUrl } from '../../src/loadtester/request-headers.ts';
import { targetPolicy } from '../../src/loadtester/target-policy.ts';
import { planTask } from '../../src/loadtester/task-plan.ts';
import { argumentWords, commandLine } from '../../src/loadtester/words.ts';

const limits = { policy: targetPolicy({ allowLocal: false }), timeoutMs: 60_000 };
const planOptions = {
  native: limits,
  processes: { processes: 1, memoryBytes: 1, outputBytes: 1 },
  mayRunCommands: () => true,
  env: {},
};

const wordsOf = (text: string) => {
  const line = commandLine(text);
  return 'beyond' in line ? text.split(/[ \n]/) : (line.pipeline[0] ?? []);
};

/** A filter over what a server answered, both by the same tenant. */
function filtered(pattern: string, text: string): unknown[] {
  return [['-F'], ['-E', '-i'], ['-c', '-v'], ['-x', '-w']].map((flags) => {
    const filter = grep([...flags, '-e', pattern]);
    return 'problem' in filter ? filter : text.split('\n').map((line) => filter.pattern.matches(line));
  });
}

/** Input of the load tester: payloads, commands, and output of commands. */
export const loadTesterReaders: Readonly<Record<string, (text: string) => unknown>> = {
  'a payload of the load tester': (text) => [
    readPayload(Buffer.from(text)),
    readPayload(Buffer.from(JSON.stringify({ metadata: { cmd: text } }))),
  ],
  'a command line': (text) => [commandLine(text), argumentWords(text)],
  'a task': (text) =>
    ['cmd', 'bash', 'kubectl', text].map((type) =>
      planTask(
        { name: 'app', namespace: 'shop', phase: '', checksum: '', metadata: new Map(Object.entries({ type, cmd: text })) },
        planOptions,
      ),
    ),
  'options of hey': (text) => [
    heyOptions(wordsOf(text), limits),
    heyOptions(['-H', text, '-z', text, '-host', text, 'http://app/'], limits),
  ],
  'options of curl': (text) => [curlOptions(wordsOf(text)), curlOptions(['-H', text, '-d', text, '-w', text, '-u', text, 'http://app/'])],
  'a header of a test': requestHeader,
  'an address of a test': requestUrl,
  'a short pattern of grep': (text) => filtered(text.slice(0, 100), 'ab\n'),
  'an answer that grep reads': (text) => filtered('a*b[^a]', text),
  'an output with secrets': (text) => mask(text, ['secret', text.slice(0, 100)]),
};
