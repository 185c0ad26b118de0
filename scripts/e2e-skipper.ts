import { ensureGoTool, type GoTool } from './e2e-go-tool.ts';

const SKIPPER: GoTool = {
  name: 'skipper',
  module: 'github.com/zalando/skipper',
  package: 'github.com/zalando/skipper/cmd/skipper',
  purpose: 'the tests of real data planes route by Skipper',
};

/** Path of Skipper. */
export const ensureSkipper = (say: (line: string) => void = () => undefined): Promise<string> => ensureGoTool(SKIPPER, say);
