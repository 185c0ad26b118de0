import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { serverSecret } from './server-secret.ts';

it('the credentials come from the files of a mounted Secret and the environment, which wins, and are read again each time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-server-secret-'));
  writeFileSync(join(folder, 'token'), 'one\n');
  writeFileSync(join(folder, 'ca.crt'), 'pem');
  writeFileSync(join(folder, '..data'), 'of the kubelet');
  const read = serverSecret(folder, {});
  expect(await read?.()).toEqual({ token: 'one\n', 'ca.crt': 'pem' });
  writeFileSync(join(folder, 'token'), 'two');
  expect(await read?.()).toMatchObject({ token: 'two' });
  expect(await serverSecret(folder, { METRICS_SERVER_TOKEN: 'three' })?.()).toEqual({ token: 'three', 'ca.crt': 'pem' });
  rmSync(folder, { recursive: true });
  expect(await serverSecret(undefined, { METRICS_SERVER_USERNAME: 'me', METRICS_SERVER_PASSWORD: 'p' })?.()).toEqual({
    username: 'me',
    password: 'p',
  });
  expect(serverSecret(undefined, {})).toBeUndefined();
});
