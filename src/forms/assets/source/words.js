// The texts for the user: in Japanese, unless the nearest `lang` attribute around the field is another language.

import { closest } from './roots.js';

const JAPANESE = {
  lang: 'ja',
  choices: (count) => `${count}件の候補があります。上下の矢印キーで選び、Enterキーで決定します。`,
  towns: (count) => `この番号には${count}件の住所があります。上下の矢印キーで選べます。`,
  later: (count) => `この番号には${count}件の住所があります。空いている住所の欄で選べます。`,
  none: '該当するものがありません。',
  length: (digits) => `${digits}桁の番号を入力してください。`,
  waiting: '問い合わせています…',
  late: '応答がありません。このまま入力するか、時間をおいてもう一度番号を入力してください。',
  failed: (why) => `自動入力できませんでした。このまま入力してください。（${why}）`,
  filled: (text) => `入力しました: ${text}`,
  kept: (texts) => `入力済みの欄はそのままにしました: ${texts}`,
  added: (texts) => `追記された部分はそのまま残しました: ${texts}`,
  list: '候補',
  closed: '（閉鎖）',
};

const ENGLISH = {
  lang: 'en',
  choices: (count) => `${count} suggestion${count === 1 ? '' : 's'}. Choose with the arrow keys and Enter.`,
  towns: (count) => `This code has ${count} places. Choose with the arrow keys.`,
  later: (count) => `This code has ${count} places. Choose one in an empty address field.`,
  none: 'Nothing found.',
  length: (digits) => `Enter ${digits} digits.`,
  waiting: 'Looking it up…',
  late: 'The server does not answer. Fill in the fields yourself, or enter the code again later.',
  failed: (why) => `The fields could not be filled in. Please fill them in yourself. (${why})`,
  filled: (text) => `Filled in: ${text}`,
  kept: (texts) => `Fields that you filled in were left as they are: ${texts}`,
  added: (texts) => `What you added was kept: ${texts}`,
  list: 'Suggestions',
  closed: ' (closed)',
};

export function wordsOf(element) {
  const place = closest(element, '[lang]');
  return place && !/^ja\b/i.test(place.lang) ? ENGLISH : JAPANESE;
}
