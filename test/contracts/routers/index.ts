import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { RouterCases } from './router-case.ts';

const files = readdirSync(import.meta.dirname).filter((file) => file !== basename(import.meta.filename));
const modules: { cases?: RouterCases }[] = await Promise.all(files.map((file) => import(/* @vite-ignore */ `./${file}`)));

/** By provider: what the files of this folder export as `cases`. */
export const routerCases: RouterCases = Object.assign({}, ...modules.map(({ cases }) => cases));
