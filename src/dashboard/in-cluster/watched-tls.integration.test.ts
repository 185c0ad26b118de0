import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { tlsFile } from '../../../test/fakes/tls-kube-server.ts';
import { watchedTls } from './watched-tls.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'serin-tls-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function filesOf(certificate: string): { certFile: string; keyFile: string } {
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  copyFileSync(tlsFile(`${certificate}.crt`), files.certFile);
  copyFileSync(tlsFile(`${certificate}.key`), files.keyFile);
  return files;
}

function logged() {
  const lines: string[] = [];
  const note = (_: object, message: string): void => void lines.push(message);
  return { lines, log: { info: note, warn: note } };
}

/** Serial number of the certificate that the server shows to a new connection. */
function serialAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

it('a renewed certificate serves new connections; a broken one does not, and is logged once', async () => {
  const clock = handClock();
  const { lines, log } = logged();
  const tls = watchedTls(filesOf('server'), { clock, log });
  const server = tls.follow(createServer(tls.now()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const first = await serialAt(port);
    const { certFile } = filesOf('client');
    clock.advance(30_000);
    const second = await serialAt(port);
    expect(second).not.toBe(first);
    writeFileSync(certFile, 'half a certif');
    clock.advance(60_000);
    expect(await serialAt(port)).toBe(second);
    expect(lines).toEqual([
      'new certificates for the dashboard',
      'the certificates of the dashboard cannot be read again: the earlier ones stay',
    ]);
  } finally {
    tls.stop();
    server.close();
  }
  expect(clock.pending).toBe(0);
});

it('files that are no pair at the start are refused by the flag to correct', () => {
  const { log } = logged();
  const { certFile } = filesOf('server');
  const keyOf = (keyFile: string) => () => watchedTls({ certFile, keyFile }, { clock: handClock(), log });
  expect(keyOf(tlsFile('client.key'))).toThrow(
    /^--dashboard-tls-cert-file: .*tls\.crt and .*client\.key are not a certificate and its key, in PEM$/,
  );
  expect(keyOf(join(folder, 'none'))).toThrow(/^--dashboard-tls-key-file: .*none/);
});
