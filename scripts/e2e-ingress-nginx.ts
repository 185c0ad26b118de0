import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureNginxWithLua } from './e2e-binaries.ts';
import { ensureGoTool } from './e2e-go-tool.ts';
import { MissingToolError, run } from './e2e-tools.ts';

const MODULE = 'k8s.io/ingress-nginx';
const NAME = 'nginx-ingress-controller';

export interface IngressNginx {
  /** The controller. */
  program: string;
  /** The nginx that it drives. */
  nginx: string;
  /** `lua` and `template` of its image. */
  files: string;
}

/** The controller of ingress-nginx, its Lua and its template, and an nginx of the system that can run them. */
export async function ensureIngressNginx(say: (line: string) => void = () => undefined): Promise<IngressNginx> {
  const nginx = await ensureNginxWithLua(say);
  const purpose = 'the tests of real data planes drive nginx by the controller of ingress-nginx';
  const program = await ensureGoTool({ name: NAME, module: MODULE, package: `${MODULE}/cmd/nginx`, purpose }, say);
  const files = join(dirname(program), 'etc-nginx');
  if (!existsSync(files)) {
    const cwd = join(import.meta.dirname, '..', 'test', 'e2e', 'binaries', NAME);
    const { code, output } = await run('go', ['list', '-m', '-f', '{{.Dir}}', MODULE], { cwd });
    if (code !== 0) throw new MissingToolError(`${purpose}: go does not say where its sources are:\n${output.slice(-2000)}`);
    const making = `${files}.${process.pid}`;
    rmSync(making, { recursive: true, force: true });
    cpSync(join(output.trim(), 'rootfs', 'etc', 'nginx'), making, { recursive: true });
    renameSync(making, files);
  }
  return { program, nginx, files };
}
