import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { NAMESPACE } from '../../fakes/model/lab.ts';
import { raw } from '../../fakes/raw.ts';
import type { Arriving, Ending } from './play.ts';

/** Beside the repository; `ARRIVAL_APPS` names another folder. */
const folder = process.env.ARRIVAL_APPS ?? '';

const ENDINGS: readonly Ending[] = ['success', 'failure', 'replaced', 'renamed'];

/** Public applications, each with the Canary that a newcomer writes. Empty if the folder does not exist. */
export function corpusApps(): Arriving[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files.map((file, index) => appIn(file, readFileSync(join(folder, file), 'utf8'), ENDINGS[index % ENDINGS.length] ?? 'success'));
}

function appIn(name: string, text: string, ending: Ending): Arriving {
  const documents = parseAllDocuments(text.replaceAll('appns', NAMESPACE)).map((document) => document.toJS() as KubeObject | null);
  const objects = documents.filter((document) => document !== null).filter(isAccepted);
  const canary = objects.pop();
  if (canary?.kind !== 'Canary') throw new Error(`${name}: the last document is not a Canary`);
  return { name, objects, canary, ending };
}

/** Some charts render a budget that kube-apiserver refuses: of the two fields it takes one. */
function isAccepted({ kind, ...rest }: KubeObject): boolean {
  const { minAvailable, maxUnavailable } = raw(rest).spec ?? {};
  return kind !== 'PodDisruptionBudget' || minAvailable === undefined || maxUnavailable === undefined;
}
