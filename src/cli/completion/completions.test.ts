import { Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { addCanaryCommands } from '../canaries/canary-commands.ts';
import { outputFormats } from '../output/output-formats.ts';
import { completions, type GivenFlags } from './completions.ts';
import { shells } from './scripts.ts';

const program = new Command('serin');
addCanaryCommands(program);
program.command('hidden', { hidden: true });
program
  .command('demo')
  .addOption(new Option('--provider <name>').choices(['istio', 'smi']))
  .addOption(new Option('--secret').hideHelp());

/** `line` ends where the cursor is. */
async function after(line: string) {
  const asked: { what: string; given: GivenFlags }[] = [];
  const { candidates, files } = await completions(program, line.split(' '), async (what, given) => {
    asked.push({ what, given: new Map(given) });
    return ['podinfo', 'shop'];
  });
  return { values: candidates.map(({ value }) => value), candidates, files, asked };
}

describe('candidates of a shell for the last word', () => {
  it('commands that begin with the typed text, without hidden ones', async () => {
    expect((await after('')).values).toEqual(expect.arrayContaining(['list', 'status', 'report', 'completion', 'traffic']));
    expect((await after('')).values).not.toContain('hidden');
    expect((await after('st')).values).toEqual(['status']);
    expect((await after('st')).candidates[0]?.says).toContain('show one Canary');
    expect((await after('traffic ')).values).toEqual(['show', 'set', 'help']);
  });

  it.each(
    [...program.commands, ...program.commands.flatMap(({ commands }) => commands)].map((command) => ({ command, name: command.name() })),
  )('every flag of $name that its help shows, and no other', async ({ command }) => {
    const path = command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`;
    const shown = command
      .createHelp()
      .visibleOptions(command)
      .map(({ long }) => long);
    expect((await after(`${path} --`)).values.toSorted()).toEqual(shown.toSorted());
  });

  it('values of a flag that has a list of them, behind a blank, a short name or =', async () => {
    expect((await after('list --output ')).values).toEqual(outputFormats);
    expect((await after('list -o ')).values).toEqual(outputFormats);
    expect((await after('list -A --output=j')).values).toEqual(['--output=json']);
    expect((await after('demo --provider s')).values).toEqual(['smi']);
    expect((await after('completion ')).values).toEqual(shells);
  });

  it.each([
    ['status ', 'canaries'],
    ['get status ', undefined],
    ['promote --namespace test p', 'canaries'],
    ['report ', 'canaries'],
    ['traffic show ', 'canaries'],
    ['traffic set ', 'knativeServices'],
    ['status podinfo -n ', 'namespaces'],
    ['status --namespace=p', 'namespaces'],
    ['list --context ', 'contexts'],
    ['status podinfo ', undefined],
    ['wait podinfo --timeout ', undefined],
  ])('serin %s: requests %s', async (line, what) => {
    const { asked, values, files } = await after(line);
    expect(asked.map((one) => one.what)).toEqual(what === undefined ? [] : [what]);
    expect(files).toBe(false);
    if (what === undefined) expect(values).toEqual([]);
  });

  it('names that begin with the typed text, and the whole word where a flag and its value are one', async () => {
    expect((await after('status p')).values).toEqual(['podinfo']);
    expect((await after('status --namespace=p')).values).toEqual(['--namespace=podinfo']);
  });

  it('requests go to the cluster and namespace that the line names', async () => {
    const { asked } = await after('status --context=other -n shop --kubeconfig /tmp/one --plain ');
    expect(Object.fromEntries(asked[0]?.given ?? [])).toEqual({
      '--context': 'other',
      '--namespace': 'shop',
      '--kubeconfig': '/tmp/one',
      '--plain': true,
    });
  });

  it('files, where a flag takes one', async () => {
    expect(await after('report --file ')).toMatchObject({ files: true, values: [] });
    expect(await after('status --kubeconfig=/tm')).toMatchObject({ files: true, values: [] });
  });

  it('no flags are completed after --', async () => {
    expect((await after('status -- -')).values).toEqual([]);
    expect((await after('status -- p')).values).toEqual(['podinfo']);
  });

  it.each(['nothing-of-ours ', 'list --no-such-flag ', '--', '-'])('serin %s: a wrong line is not an error', async (line) => {
    expect((await after(line)).files).toBe(false);
  });
});
