// The texts for the user: in Japanese, unless the nearest `lang` attribute around the field is another language.

const JAPANESE = {
  lang: 'ja',
  choices: (count) => `${count}件の候補があります。上下の矢印キーで選び、Enterキーで決定します。`,
  towns: (count) => `この番号には${count}件の住所があります。上下の矢印キーで選べます。`,
  later: (count) => `この番号には${count}件の住所があります。空いている住所の欄で選べます。`,
  none: '該当するものがありません。',
  filled: (text) => `入力しました: ${text}`,
  kept: '入力済みの欄はそのままにしました。',
  list: '候補',
  closed: '（閉鎖）',
};

const ENGLISH = {
  lang: 'en',
  choices: (count) => `${count} suggestion${count === 1 ? '' : 's'}. Choose with the arrow keys and Enter.`,
  towns: (count) => `This code has ${count} places. Choose with the arrow keys.`,
  later: (count) => `This code has ${count} places. Choose one in an empty address field.`,
  none: 'Nothing found.',
  filled: (text) => `Filled in: ${text}`,
  kept: 'Fields that you filled in were left as they are.',
  list: 'Suggestions',
  closed: ' (closed)',
};

export function wordsOf(element) {
  const place = element.closest('[lang]');
  return place && !/^ja\b/i.test(place.lang) ? ENGLISH : JAPANESE;
}
