import { describeContourRoutes } from '../scenarios/contour-routes.ts';
import { startContourPlane } from './contour-plane.ts';
import { startGround } from './ground.ts';

describeContourRoutes(() => startGround(startContourPlane));
