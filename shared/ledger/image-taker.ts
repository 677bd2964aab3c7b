import { ServiceError } from '../http/errors.ts';
import { measure } from '../metrics.ts';
import { giveBackImages, hourEndMs, hourOf, takeImage } from './images-hour.ts';
import { ImagesPerHourError } from './terms/limit-errors.ts';

/** Takes images from a key's hour for one job; first `spare`, which an earlier run took and did not read. */
export class ImageTaker {
  private readonly keyId: string;
  private readonly jobId: string;
  private readonly imagesPerHour: number;
  private readonly spare: { hour: string; count: number };

  constructor(
    keyId: string,
    jobId: string,
    imagesPerHour: number,
    spare: { hour: string; count: number },
  ) {
    this.keyId = keyId;
    this.jobId = jobId;
    this.imagesPerHour = imagesPerHour;
    this.spare = spare;
  }

  /** Takes an image; returns its hour. Throws `ImagesPerHourError`, or 403 if the key may have no images read. */
  async take(): Promise<string> {
    const now = Date.now();
    if (this.spare.count > 0 && this.spare.hour === hourOf(now)) {
      this.spare.count -= 1;
      return this.spare.hour;
    }
    const hour = await takeImage(this.keyId, this.jobId, this.imagesPerHour);
    if (hour) return hour;
    if (this.imagesPerHour === 0) {
      throw new ServiceError(403, 'ocr_not_allowed', 'This API key may not have images read.');
    }
    measure({ QuotaStops: 1 });
    throw new ImagesPerHourError(this.imagesPerHour, hourEndMs(now));
  }

  giveBack(hour: string): Promise<void> {
    return giveBackImages(this.keyId, this.jobId, hour, 1);
  }
}
