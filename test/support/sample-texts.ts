// The papers of Tarn & Wick, a lamp maker that never was: what the sample documents say, word for word.

/** `two-column-scan.jpg`. */
export const minutes = `Tarn & Wick, Lamp Makers. Minutes of the meeting of 14 March, held in the packing room because the office roof was being mended.

Present were Ines Tarn, who took the chair, Robert Wick, Mrs Adeyemi for the accounts, and Joost from the glass shop. Apologies came from the night shift, who were asleep.

The minutes of the last meeting were read and agreed, save that the word "explosion" was changed to "accident" at the wish of the glass shop.

Mrs Adeyemi reported that February had brought in 41,280 pounds, against 38,900 in the year before. Orders for the brass storm lamp had grown the most. The small reading lamp had sold badly in every town but one; nobody could say why Ellerby wanted forty of them.

Robert Wick asked whether the price of brass would hold. Mrs Adeyemi thought not. The merchant had written twice since Christmas to say that he would be raising it by seven parts in a hundred from the first of May. It was agreed to buy for three months now and to store it under the stairs.

Joost explained the cracks in the January chimneys. The new furnace cools too fast when the yard door stands open. He asked for a curtain of heavy canvas and a sign. Both were granted, the sign to be painted by his daughter.

A letter was read from a lighthouse on the north coast. Its keeper praised the large lamp and enclosed a drawing of a better handle, with two bends where ours has one. Ines Tarn tried the drawing against a broom and found that the keeper was right. The pattern shop will make six.

Robert Wick had been to the fair at Harrowgate with two cases of lamps and had come back with one and a half. He put this down to his place beside the brass band, where no buyer could hear the price. For next year he has asked to stand by the tea tent. The costs of the fair were nineteen pounds and four shillings, of which the hire of the horse was the greater part.

The question of the Saturday half day was raised again. It was noted that all the other works in the valley had closed at noon on Saturdays since the autumn, and that none of them had gone under. Ines Tarn said that she would rather pay for forty-four hours of good work than for forty-eight of mixed work. The half day was agreed from Easter, without loss of wages.

The apprentice, Tomas Lind, has finished his third year. He was called in and shown the lamp that he made in his first week, which has been kept on the shelf above the door as a warning. He laughed as much as anyone. It was agreed to raise his wage by two shillings and to let him choose the next apprentice with Joost.

Mrs Adeyemi reminded the meeting that the fire buckets are for sand and for nothing else. In the past month she had found in them string, a sandwich, and a pair of gloves that nobody would own to. Each bucket will have a lid with a label.

Under other business, the cat was thanked for the state of the wick store. Mrs Adeyemi asked that it be entered in the books under wages in kind, at one herring a week. This was carried.

The next meeting is on 11 April at ten, in the office if it has a roof by then.`;

/** `text-layer.pdf`, a page each. */
export const letters = [
  `Tarn & Wick, Lamp Makers
The Old Ropewalk, Ellerby

22 April

Dear Mr Okafor,

Thank you for your letter of the ninth and for the drawing of the handle. We have made six lamps with the two bends that you propose, and we have hung them in the yard through a week of rain and wind. They swing less than the old ones, and they can be carried with gloves on. From June all large lamps will leave the works with your handle.

You ask what we owe you for it. We would like to offer you sixpence for every lamp sold with the new handle over the next five years, paid each January. Last year we sold 1,130 large lamps. If that seems fair to you, please sign the second copy of this letter and send it back.

The replacement glass that you ordered went out this morning by the carrier, in two boxes of twelve, packed in straw. Three spare chimneys are in with them at no charge, since two of the last dozen were cracked and you were too polite to mention it.

Yours sincerely,
Ines Tarn`,
  `Terms of the agreement on the handle

1. Tarn & Wick pays sixpence for every large lamp sold with the handle of two bends, from the first of June for five years.

2. The sum is reckoned on the last day of each year and paid by the end of the January that follows, with a list of the sales by month.

3. Mr Okafor may have the list checked by anyone he likes, at a time that suits both, and at his own expense unless it proves wrong by more than one part in fifty.

4. Should the works be sold, whoever buys them takes on this agreement with the rest.

5. Nothing here stops Mr Okafor from making the handle for himself, for his friends, or for any lighthouse.`,
];

/** `mixed.pdf`: pages with a text layer, and others that are scans of a typed sheet. */
export const report = [
  {
    kind: 'text',
    text: `Report on the furnace, for the file

The furnace in the glass shop was lit on 6 January after the repair of its roof. From that day until the end of the month, 212 chimneys were drawn, of which 31 cracked within a day. In the same weeks of the year before, 8 had cracked out of 240.

The coal was the same, and so was the sand. The men were the same, apart from one who had broken his wrist. What had changed was the yard door, which had been hung anew and now opens inwards.`,
  },
  {
    kind: 'scan',
    text: `Readings taken by Joost in the glass shop, February.

With the yard door shut the lehr fell from 520 degrees to 90 degrees in eleven hours. With the door open it fell as far in six hours and a half. On the night of the ninth the door was left open by the carter and all fourteen chimneys in the lehr were lost.

I hung two blankets over the door on the tenth. Since then we have lost one chimney in sixty. The blankets smell of horse.`,
  },
  {
    kind: 'text',
    text: `What follows from the readings

The cracks come from the cold air of the yard and from nothing else. A curtain of heavy canvas, weighted at the foot with chain, costs four pounds and can be drawn aside by a man with both hands full, if he uses his elbow.

The curtain was put up on 20 March. Up to the day of this report, 180 chimneys have been drawn and 4 have cracked.`,
  },
  {
    kind: 'scan',
    text: `Receipt from Brandt and Daughter, sailmakers, the Quay.

To one curtain of number two canvas, nine feet by eight, hemmed and roped. To eleven feet of chain sewn into the foot. To hanging the same. In all four pounds, three shillings and sixpence. Paid with thanks on 21 March.`,
  },
] as const;

/** `table.png`. */
export const priceList = [
  ['Lamp', 'Height in mm', 'Burns for', 'Price in pounds'],
  ['Reading lamp', '210', '9 hours', '1.85'],
  ['Storm lamp, brass', '340', '22 hours', '4.20'],
  ['Storm lamp, tin', '340', '22 hours', '2.60'],
  ['Large lamp', '520', '31 hours', '9.75'],
  ['Signal lamp, red', '300', '14 hours', '5.10'],
  ['Chimney, spare', '180', 'as long as it lasts', '0.35'],
];

/** `notes.txt`. */
export const notes = `Notes for the open day, 2 June

- Doors at ten. The glass shop shows a chimney being drawn at eleven and again at three.
- Children may fill a lamp with water, not with oil.
- The cat is not to be fed: she is paid already.
- Ask Mrs Adeyemi for change. Nobody may pay with a lamp.
- Everyone who brings back an old Tarn & Wick lamp, in whatever state, gets a new wick for it.

What people asked last year: why the glass is green (iron in the sand), whether we make candles (no),
how hot the furnace is (about 1,400 degrees), and who Wick was (Robert's grandmother, who had the money).
`;
