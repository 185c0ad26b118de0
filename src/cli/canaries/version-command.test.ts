import { expect, it } from 'vitest';
import { version } from '../../base/version.ts';
import { NoKubeconfigError } from '../../kube/kubeconfig.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { versionCommand } from './version-command.ts';

function anOutput(flags: OutputFlags = {}) {
  const said: string[] = [];
  const notes: string[] = [];
  const streams = { out: { write: (text: string) => said.push(text) }, err: { write: (text: string) => notes.push(text) } };
  return { output: new Output(flags, {}, streams), text: () => said.join(''), notes: () => notes.join('') };
}

it.each<OutputFlags>([{}, { output: 'json' }])(
  'version shows the version of this program also if the chosen cluster cannot be reached, and then the error (%o)',
  async (flags) => {
    const { output, text } = anOutput(flags);
    const read = versionCommand(output, () => Promise.reject(new Error('connection refused')));
    await expect(read).rejects.toThrow('connection refused');
    expect(text()).toContain(version);
    expect(text()).not.toContain('kubernetes');
  },
);

it.each<OutputFlags>([{}, { output: 'json' }])(
  'version without a kubeconfig succeeds, and says that no cluster was reached (%o)',
  async (flags) => {
    const { output, text, notes } = anOutput(flags);
    const exit = await versionCommand(output, () => Promise.reject(new NoKubeconfigError('no credentials: give --kubeconfig FILE')));
    expect(exit).toBe('done');
    expect(text()).toContain(version);
    expect(notes().replaceAll(/\s+/g, ' ')).toBe('No cluster was reached: no credentials: give --kubeconfig FILE ');
  },
);
