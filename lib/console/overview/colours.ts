/** Colours that are told apart on white and on black, by most who see colours otherwise too. */
const colours = [
  '#2c7fb8',
  '#d95f0e',
  '#3a9a5b',
  '#a65cb3',
  '#b8860b',
  '#d6456b',
  '#5f8a8b',
  '#8a6d5a',
];

/** The colour of the nth model. */
export const colourOf = (index: number) => colours[index % colours.length] ?? '#888888';
