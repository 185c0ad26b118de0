import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureFish, ensureZsh } from '../../scripts/e2e-binaries.ts';
import { serinProgram } from '../../src/cli/program.ts';
import { type CompletionLab, startCompletionLab } from '../scenarios/completion-lab.ts';

const summaryOfStatus = serinProgram('serin')
  .commands.find((command) => command.name() === 'status')
  ?.description();

describe('the scripts of serin completion, in shells that are not everywhere', () => {
  let [zsh, fish] = ['', ''];
  let lab: CompletionLab;
  beforeAll(async () => {
    [zsh, fish] = [await ensureZsh(), await ensureFish()];
    lab = await startCompletionLab();
  });
  afterAll(() => lab?.stop());

  it('zsh: commands, values behind =, names of Canaries, files', async () => {
    const said = await lab.lines(
      zsh,
      `compdef() { :; }; _files() { print files; }; compset() { :; }
      _describe() { print -rl -- "\${(@P)argv[-1]}"; }
      source <(serin completion zsh)
      after() { words=("$@"); CURRENT=$#words; _serin; }
      after serin sta; after serin list --output=j; after serin status pod; after serin report -f ''`,
    );
    expect(said[0]).toBe(`status:${summaryOfStatus}`);
    expect(said.slice(1)).toEqual(['--output=json:--output=json', 'podfarm:podfarm', 'podinfo:podinfo', 'files']);
  });

  it('fish: commands, values behind =, names of Canaries, files', async () => {
    const lines = ['serin sta', 'serin list --output=j', 'serin status pod', 'serin report -f kubeco'];
    const said = await lab.lines(fish, ['serin completion fish | source', ...lines.map((line) => `complete -C '${line}'`)].join('\n'));
    expect(said[0]).toMatch(/^status\t./);
    expect(summaryOfStatus).toContain(said[0]?.slice('status\t'.length, -1));
    expect(said.slice(1)).toEqual(['--output=json', 'podfarm', 'podinfo', 'kubeconfig']);
  });
});
