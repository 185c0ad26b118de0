import { describeMeasuredElsewhere } from '../suite/measured-elsewhere.ts';
import { startVirtualStage } from '../suite/stage.ts';

describeMeasuredElsewhere('releases whose scaler measures something else, on the embedded cluster', startVirtualStage);
