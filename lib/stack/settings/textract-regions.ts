/** The regions that have Textract. @see https://docs.aws.amazon.com/general/latest/gr/textract.html */
const textractRegions = [
  ...['us-east-1', 'us-east-2', 'us-west-1', 'us-west-2', 'us-gov-east-1', 'us-gov-west-1'],
  ...['ca-central-1', 'eu-central-1', 'eu-south-2', 'eu-west-1', 'eu-west-2', 'eu-west-3'],
  ...['ap-northeast-2', 'ap-south-1', 'ap-southeast-1', 'ap-southeast-2'],
];

/** Throws an Error for a region without Textract: every page that needs OCR would fail there. */
export function refuseWithoutTextract(region: string | undefined): void {
  if (!region || textractRegions.includes(region)) return;
  throw new Error(
    `Textract is not in ${region}: deploy to one of ${textractRegions.join(', ')}. If it has come there since, deploy with -c quire:anyRegion=true.`,
  );
}
