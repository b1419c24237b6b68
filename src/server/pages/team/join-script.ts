import { SERVER_PAGES } from '../../../shared/contract/page-addresses.ts';

export const JOIN_SCRIPT_PATH = '/join.js';

/**
 * Takes the token of an invitation out of the address, where nobody else can read it any more, and
 * sends it in the body of a request. A page that shows an invitation already goes back to the first
 * one for another link.
 */
export const JOIN_SCRIPT = `
function open() {
  const token = location.hash.slice(1);
  if (token === '') return;
  const field = document.getElementById('token');
  if (field === null) return location.replace('${SERVER_PAGES.join}?another#' + token);
  history.replaceState(null, '', '${SERVER_PAGES.join}');
  field.value = token;
  field.form.submit();
}
addEventListener('hashchange', open);
open();
`;
