import { ensureGoTool, ensureModuleFiles, type GoTool } from './e2e-go-tool.ts';

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
export const ensureContourDefinitions = (): Promise<ContourDefinitions> => ensureModuleFiles(CONTOUR, DEFINITIONS);
