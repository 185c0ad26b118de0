import { expect, it } from 'vitest';
import { version } from '../../base/version.ts';
import { Output, type OutputFlags } from '../output/output.ts';
import { versionCommand } from './version-command.ts';

function anOutput(flags: OutputFlags = {}) {
  const said: string[] = [];
  const streams = { out: { write: (text: string) => said.push(text) }, err: { write: () => undefined } };
  return { output: new Output(flags, {}, streams), text: () => said.join('') };
}

it.each<OutputFlags>([{}, { output: 'json' }])(
  'version shows the version of this program also if no cluster can be reached, and then the error (%o)',
  async (flags) => {
    const { output, text } = anOutput(flags);
    const read = versionCommand(output, () => Promise.reject(new Error('no credentials')));
    await expect(read).rejects.toThrow('no credentials');
    expect(text()).toContain(version);
    expect(text()).not.toContain('kubernetes');
  },
);
