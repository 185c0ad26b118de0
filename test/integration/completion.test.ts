import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompletionLab, startCompletionLab } from '../scenarios/completion-lab.ts';

describe('the scripts of serin completion, in bash and for kubectl', () => {
  let lab: CompletionLab;
  beforeAll(async () => {
    lab = await startCompletionLab();
  });
  afterAll(() => lab?.stop());

  it('bash: commands, values behind = as bash parts words, names of Canaries, files', async () => {
    const said = await lab.lines(
      'bash',
      `source <(serin completion bash)
      after() { COMP_LINE="$1"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=(); _serin serin; echo "$1|\${COMPREPLY[*]}"; }
      complete -p serin
      after 'serin sta'; after 'serin list --output=j'; after 'serin status pod'; after 'serin report -f kubeco'`,
    );
    expect(said).toEqual([
      'complete -F _serin serin',
      'serin sta|status',
      'serin list --output=j|json',
      'serin status pod|podfarm podinfo',
      'serin report -f kubeco|kubeconfig',
    ]);
  });

  it('kubectl: a program kubectl_complete-serin answers with names and a directive', async () => {
    const { stdout, stderr } = await lab.run(process.execPath, [join(lab.folder, 'kubectl_complete-serin'), 'status', 'pod']);
    expect(stdout).toBe('podfarm\npodinfo\n:4\n');
    expect(stderr).toBe('');
  });
});
