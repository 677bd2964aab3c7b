/** A piece of a paper, as its reader sees it. */
export type Piece =
  | { heading: string }
  | { text: string }
  | { items: string[] }
  /** The first row is the table's head. */
  | { rows: string[][] };

/** What a document of any format is made of. */
export interface Paper {
  name: string;
  pieces: Piece[];
}

const text = (...sentences: string[]): Piece => ({ text: sentences.join(' ') });

const report: Paper = {
  name: 'report',
  pieces: [
    { heading: 'Report of the harbour office for the second quarter' },
    text(
      'Traffic grew by 7.5 % against the same months of last year, while the number of calls fell from 1,204 to 1,187.',
      'Most of the growth came from container ships of the northern line, which moved to the new quay in April.',
      'The office expects the figures of the third quarter to lie between 310,000 and 325,000 tonnes.',
    ),
    { heading: 'Tonnage by quay' },
    {
      rows: [
        ['Quay', 'April', 'May', 'June', 'Change'],
        ['North', '41,200', '44,915', '47,030', '+14.2 %'],
        ['Old basin', '12,480', '11,960', '12,005', '-3.8 %'],
        ['Timber pier', '8,310', '8,777', '9,140', '+10.0 %'],
        ['Oil jetty', '22,000', '19,450', '21,300', '-3.2 %'],
      ],
    },
    text(
      'The crane at the timber pier was out of service for nine days.',
      'A part has been ordered under number KR-00417/B, and is due on 14 August 2026.',
      'Until then the pier takes ships of at most 90 metres.',
    ),
    {
      items: [
        'Dredging of the old basin begins in September',
        'Berth 6 is closed at night',
        'New tariffs apply from 1 October',
      ],
    },
    text(
      'Questions go to Ingrid Halvorsen, telephone +47 55 10 20 30, or to the desk in room 204.',
    ),
  ],
};

const invoice: Paper = {
  name: 'rechnung',
  pieces: [
    { heading: 'Rechnung Nr. 2026-0815' },
    text(
      'Müller & Söhne GmbH, Gartenstraße 12, 70173 Stuttgart, berechnet der Bäckerei Löffler wie bestellt:',
    ),
    {
      rows: [
        ['Pos', 'Bezeichnung', 'Menge', 'Einzelpreis', 'Betrag'],
        ['1', 'Mehl Type 405, Sack zu 25 kg', '40', '18,90 €', '756,00 €'],
        ['2', 'Hefe, gepresst', '12', '3,45 €', '41,40 €'],
        ['3', 'Öl, kaltgepresst, Kanister', '6', '27,80 €', '166,80 €'],
        ['4', 'Lieferung frei Haus', '1', '0,00 €', '0,00 €'],
      ],
    },
    text(
      'Zwischensumme 964,20 €, zuzüglich 7 % Umsatzsteuer 67,49 €, zu zahlen bis 30.09.2026: 1.031,69 €.',
    ),
    { heading: 'Bankverbindung' },
    text(
      'IBAN DE44 5001 0517 5407 3249 31 bei der Sparkasse, Verwendungszweck: Rechnungsnummer und Kundennummer 00042.',
    ),
  ],
};

const minutes: Paper = {
  name: 'proces-verbal',
  pieces: [
    { heading: 'Procès-verbal de la séance du 3 février 2026' },
    text(
      'La présidente ouvre la séance à 18 h 30 et constate que le quorum est atteint : dix-sept membres sont présents, quatre sont excusés.',
      'Le procès-verbal de la séance précédente est approuvé à l’unanimité.',
    ),
    { heading: 'Décisions' },
    {
      items: [
        'Le budget de 48 500 € pour la réfection du préau est adopté par quinze voix contre deux',
        'La fête de l’été aura lieu le 27 juin, à côté de l’ancien abattoir',
        'Les tarifs de la cantine restent inchangés jusqu’à Noël',
      ],
    },
    {
      rows: [
        ['Poste', 'Prévu', 'Engagé', 'Solde'],
        ['Façade', '21 000 €', '19 840 €', '1 160 €'],
        ['Électricité', '14 500 €', '15 020 €', '-520 €'],
        ['Peinture', '13 000 €', '9 310 €', '3 690 €'],
      ],
    },
    text(
      'Faute d’autres questions, la séance est levée à 20 h 10. Prochaine réunion : le 3 mars, même lieu.',
    ),
  ],
};

const study: Paper = {
  name: 'estudio',
  pieces: [
    { heading: 'Medición de la calidad del agua en tres estaciones' },
    text(
      'Entre marzo y mayo se tomaron muestras cada semana en las estaciones de Peñalba, Río Seco y Cañón Alto.',
      'La temperatura media fue de 12,4 grados, con un mínimo de 6,1 y un máximo de 19,8.',
      'Ninguna muestra superó el límite de 50 miligramos de nitrato por litro, aunque la de Río Seco se acercó en abril.',
    ),
    {
      rows: [
        ['Estación', 'Muestras', 'Nitrato', 'Fosfato', 'pH'],
        ['Peñalba', '13', '21,7', '0,08', '7,4'],
        ['Río Seco', '12', '46,3', '0,31', '7,9'],
        ['Cañón Alto', '13', '9,2', '0,02', '7,1'],
      ],
    },
    { heading: 'Conclusiones' },
    text(
      'Los valores de fosfato de Río Seco triplican los de las otras estaciones, lo que señala un vertido agrícola aguas arriba.',
      'Se propone repetir la campaña en otoño con un punto más, situado antes de la confluencia.',
    ),
    {
      items: [
        'Avisar al ayuntamiento',
        'Revisar la sonda número 4',
        'Publicar los datos antes del 15 de julio',
      ],
    },
  ],
};

/** The papers that each format is made of. */
export const papers: readonly Paper[] = [report, invoice, minutes, study];
