// The way from what the page shows to the query behind it.

import { batch } from '@preact/signals';
import { page, sqlText } from './state';

export function SqlLink({ sql }: { sql: string }) {
  if (SITE) return null;
  const open = (): void => batch(() => {
    sqlText.value = sql;
    page.value = 'sql';
  });
  return <button type="button" class="quietbutton sqllink" title="The SQL behind this" onClick={open}>SQL</button>;
}
