import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of a mounted Secret are small; what is larger is something else. */
const MOST_BYTES = 1024 * 1024;

/**
 * Credentials of the metrics server: the files of a folder, as the kubelet writes a Secret, and environment variables, which win. They are read again each
 * time, so that a rotated Secret takes effect at once. `undefined` if neither is given.
 */
export function serverSecret(folder: string | undefined, env: NodeJS.ProcessEnv): (() => Promise<Record<string, string>>) | undefined {
  const variables = { token: env.METRICS_SERVER_TOKEN, username: env.METRICS_SERVER_USERNAME, password: env.METRICS_SERVER_PASSWORD };
  const given = Object.fromEntries(Object.entries(variables).flatMap(([key, value]) => (value ? [[key, value]] : [])));
  if (!folder && Object.keys(given).length === 0) return undefined;
  return async () => ({ ...(folder ? await filesIn(folder) : {}), ...given });
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const));
  if (files.reduce((sum, [, text]) => sum + text.length, 0) > MOST_BYTES) throw new Error(`${folder} holds more than a Secret does`);
  return Object.fromEntries(files);
}
