import { type Box, centreOf, heightOf, widthOf } from './box.ts';

/** How far text or a page is turned clockwise to stand upright, in degrees from 0 to 359. */
export type Turn = number;

/** Text that is skewed by less is read as level: scans and plotters turn it by a few degrees. */
const maxSkew = 10;
/** Text that stands askew is told apart by steps of this many degrees. */
const step = 5;

/** Returns the turn of text that runs at PDFium's angle: clockwise, in radians. */
export function turnOf(angle: number): Turn {
  const degrees = (360 - (angle * 180) / Math.PI) % 360;
  const quarter = Math.round(degrees / 90) * 90;
  const turn = Math.abs(degrees - quarter) <= maxSkew ? quarter : Math.round(degrees / step) * step;
  return turn % 360;
}

/** Turns a box clockwise by quarters, as a viewer does. Only how boxes lie to each other matters. */
export function turned({ left, top, right, bottom }: Box, quarterTurns: number): Box {
  if (quarterTurns === 1) return { left: -bottom, top: left, right: -top, bottom: right };
  if (quarterTurns === 2) return { left: -right, top: -bottom, right: -left, bottom: -top };
  if (quarterTurns === 3) return { left: top, top: -right, right: bottom, bottom: -left };
  return { left, top, right, bottom };
}

/** Returns where the box of a letter lies once the letter's line is level. */
export function levelled(box: Box, turn: Turn): Box {
  if (turn % 90 === 0) return turned(box, turn / 90);
  const { x, y } = centreOf(box);
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const middle = { x: x * cos - y * sin, y: x * sin + y * cos };
  // The box stands around a letter that is turned: the letter itself is about as wide as it is high.
  const shrink = 1 / (Math.abs(cos) + Math.abs(sin));
  const [halfWidth, halfHeight] = [widthOf(box), heightOf(box)].map(
    (side) => (side * shrink) / 2,
  ) as [number, number];
  return {
    left: middle.x - halfWidth,
    right: middle.x + halfWidth,
    top: middle.y - halfHeight,
    bottom: middle.y + halfHeight,
  };
}

/** Returns the turn that most of the text has; 0 if there is none. */
export function mainTurn(runs: readonly { text: string; turn: Turn }[]): Turn {
  const letters = new Map<Turn, number>([[0, 0]]);
  for (const { text, turn } of runs) letters.set(turn, (letters.get(turn) ?? 0) + text.length);
  return [...letters].reduce((one, other) => (other[1] > one[1] ? other : one))[0];
}
