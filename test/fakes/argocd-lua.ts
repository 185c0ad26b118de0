import { LuaFactory } from 'wasmoon';
import type { KubeObject } from '../../src/api/kube-object.ts';

export interface ArgocdLua {
  health(script: string, object: KubeObject): { status: string; message: string };
  /** Names of the actions that are not disabled. */
  offered(script: string, object: KubeObject): string[];
  /** The request that an action writes. */
  requested(script: string, object: KubeObject): string;
  close(): void;
}

/** The time of the scripts. */
export const LUA_NOW_MS = Date.UTC(2026, 11, 1, 9, 30);

/** No library that Argo CD does not open, of os only what it opens, and the time of the test. The methods of a string are also gone. */
const LESS = `
local date, now = os.date, ${LUA_NOW_MS / 1000}
package.loaded.os = { time = function() return now end, date = function(form) return date(form, now) end }
os = nil
getmetatable("").__index = nil
string, math, io, debug, coroutine, utf8 = nil, nil, nil, nil, nil, nil
`;

/** Lua with the libraries that Argo CD opens. Its gopher-lua is another Lua: test/e2e/argocd-lua.test.ts compares both. */
export async function argocdLua(): Promise<ArgocdLua> {
  const engine = await new LuaFactory().createEngine();
  await engine.doString(LESS);
  const run = (script: string, object: KubeObject, read: string): string =>
    String(engine.doStringSync(`obj = ${literal(object)}\nlocal function run()\n${script}\nend\nlocal result = run()\n${read}`));
  return {
    health(script, object) {
      const [status = '', ...message] = run(script, object, 'return result.status .. "\\n" .. result.message').split('\n');
      return { status, message: message.join('\n') };
    },
    offered: (script, object) =>
      run(script, object, 'local s = ""\nfor name, one in pairs(result) do if not one.disabled then s = s .. name .. " " end end\nreturn s')
        .split(' ')
        .filter(Boolean)
        .toSorted(),
    requested: (script, object) => run(script, object, 'return result.metadata.annotations["serin.dev/request"]'),
    close: () => engine.global.close(),
  };
}

/** JSON as a Lua expression; as for Argo CD, a null is a missing field. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return `"${[...Buffer.from(value)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
  if (Array.isArray(value)) return `{${value.map(literal).join(',')}}`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `[${literal(key)}]=${literal(one)}`)
    .join(',')}}`;
}
