import { ServiceError } from '../http/errors.ts';
import { measure } from '../metrics.ts';
import { giveBackImages, hourEndMs, hourOf, takeImage } from './images-hour.ts';
import { ImagesPerHourError } from './terms/limit-errors.ts';

/** Takes images from a key's hour for one job. */
export type ImageTaker = ReturnType<typeof imageTaker>;

/** Returns what takes images for a job; first `spare`, which an earlier run took and did not read. */
export const imageTaker = (
  keyId: string,
  jobId: string,
  imagesPerHour: number,
  spare: { hour: string; count: number },
) => ({
  /** Takes an image; returns its hour. Throws `ImagesPerHourError`, or 403 if the key may have no images read. */
  async take(): Promise<string> {
    const now = Date.now();
    if (spare.count > 0 && spare.hour === hourOf(now)) {
      spare.count -= 1;
      return spare.hour;
    }
    const hour = await takeImage(keyId, jobId, imagesPerHour);
    if (hour) return hour;
    if (imagesPerHour === 0) {
      throw new ServiceError(403, 'ocr_not_allowed', 'This API key may not have images read.');
    }
    measure({ QuotaStops: 1 });
    throw new ImagesPerHourError(imagesPerHour, hourEndMs(now));
  },

  giveBack: (hour: string) => giveBackImages(keyId, jobId, hour, 1),
});
