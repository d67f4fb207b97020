import { html } from '../web/html.ts'
import { pageHead, type Site } from '../web/layout.ts'
import { frame } from './page.ts'

/** First the wallet, then its signature; with a wallet in the browser the script fills in both. */
export function signInPage(requested: { wallet: string; message: string } | undefined, site: Site): string {
  const byWallet = html`<form class="card act" method="get" action="/operator/sign-in" id="choose">
<p class="chips wallets"></p>
<label class="field"><span>Admin wallet</span><input name="address" required pattern="0x[0-9a-fA-F]{40}" placeholder="0x…" autocomplete="off" spellcheck="false"></label>
<button class="button quiet" type="submit">Show the message to sign</button>
</form>`
  const bySignature =
    requested &&
    html`<form class="card act" method="post" action="/operator/sign-in" id="sign" data-wallet="${requested.wallet}">
<label class="field"><span>Message (EIP-4361)</span><textarea class="code-text" name="message" rows="12" readonly>${requested.message}</textarea></label>
<p class="chips wallets"></p>
<label class="field"><span>Signature of this message (personal_sign) by ${requested.wallet}</span><input name="signature" required pattern="0x[0-9a-fA-F]+" placeholder="0x…" autocomplete="off" spellcheck="false"></label>
<p class="chips"><button class="button quiet" type="submit">Sign in</button> <a class="button quiet" href="/operator/sign-in">Another wallet</a></p>
</form>`
  const lead = 'For the wallets in ADMIN_WALLETS. The signature is bound to this address, counts once, and costs nothing.'
  return frame(
    'Operator sign-in',
    html`<div class="narrow">${pageHead('Operator sign-in', lead)}
${bySignature ?? byWallet}
<p class="answer" role="status" id="said"></p></div>`,
    site,
  )
}
