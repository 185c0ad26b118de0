import { describeMeasuredElsewhere } from '../scenarios/measured-elsewhere.ts';
import { startRealStage } from '../scenarios/stage.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on a real control plane', startRealStage);
