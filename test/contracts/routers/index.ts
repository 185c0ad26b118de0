import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import type { RouterCases } from './router-case.ts';

const files = readdirSync(import.meta.dirname).filter((file) => file !== basename(import.meta.filename));
const modules: { cases?: RouterCases }[] = await Promise.all(files.map((file) => import(/* @vite-ignore */ `./${file}`)));

/** Cases by provider, from the exports `cases` of the files in this folder. */
export const routerCases: RouterCases = Object.assign({}, ...modules.map(({ cases }) => cases));
