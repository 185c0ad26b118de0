import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureGoTool, type GoTool, toolFolders } from './e2e-go-tool.ts';
import { isReadable, MissingToolError, makeFolder, run } from './e2e-tools.ts';

const CONTOUR: GoTool = {
  name: 'contour',
  module: 'github.com/projectcontour/contour',
  package: 'github.com/projectcontour/contour/cmd/contour',
  purpose: 'the tests of real data planes configure Envoy by Contour',
};
/** Resource definitions that Contour publishes: its own, and the Gateway API of the version that it knows. */
const DEFINITIONS = { contour: 'examples/contour/01-crds.yaml', 'gateway-api': 'examples/gateway/00-crds.yaml' } as const;
export type ContourDefinitions = Readonly<Record<keyof typeof DEFINITIONS, string>>;

/** Path of Contour. */
export const ensureContour = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(CONTOUR, say);

/** Files of resource definitions, of the version that is built: they come with its module. */
export async function ensureContourDefinitions(): Promise<ContourDefinitions> {
  const { module, cache } = toolFolders(CONTOUR);
  const file = (name: string) => join(cache, `${name}.yaml`);
  if (!Object.keys(DEFINITIONS).every((name) => isReadable(file(name)))) {
    makeFolder(cache);
    const { code, output } = await run('go', ['mod', 'download', '-json', CONTOUR.module], { cwd: module });
    if (code !== 0) throw new MissingToolError(`the resource definitions of Contour come with its Go module: ${output.slice(-2000)}`);
    const { Dir } = JSON.parse(output.slice(output.indexOf('{'))) as { Dir: string };
    for (const [name, source] of Object.entries(DEFINITIONS)) copyFileSync(join(Dir, source), file(name));
  }
  return { contour: file('contour'), 'gateway-api': file('gateway-api') };
}
