import { ServiceError } from '../http/errors.ts';
import { measure } from '../metrics.ts';
import { ImagesPerHourError } from './errors.ts';
import { giveBackImages, hourEnd, hourOf, takeImage } from './images.ts';

/** Takes images of a key's hourly allowance for one job; those first that the job has taken and not used. */
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

  /** Takes one, and returns the hour it counts in. Throws `ImagesPerHourError` if the hour has none left. */
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
    throw new ImagesPerHourError(this.imagesPerHour, hourEnd(now));
  }

  /** Gives one back that was not read. */
  giveBack(hour: string): Promise<void> {
    return giveBackImages(this.keyId, this.jobId, hour, 1);
  }
}
