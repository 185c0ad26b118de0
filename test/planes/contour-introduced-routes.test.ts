import { anEnvironment } from '../scenarios/environment.ts';
import { describeIntroducedRoutes } from '../scenarios/introduced-routes.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { startContourPlane } from './contour-plane.ts';
import { startGround } from './ground.ts';

describeIntroducedRoutes(
  anEnvironment(() => startGround(startContourPlane)),
  contour,
);
