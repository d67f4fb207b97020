/**
 * Runs in the browser: signs the sign-in message, and in signed mode each act, with the wallet of the browser. An act is signed as ERC-8128 says
 * (behaviour 1.8), over the form as it is sent.
 */
export const operatorScript = `const said = document.getElementById('said')
const say = text => { if (said) said.textContent = text }
const wallet = window.ethereum
const hex = bytes => '0x' + [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
const base64 = bytes => btoa(String.fromCharCode(...bytes))
const personalSign = (text, address) => wallet.request({ method: 'personal_sign', params: [hex(new TextEncoder().encode(text)), address] })
const guarded = work => event => { event.preventDefault(); work(event).catch(error => say(error.message ?? String(error))) }

const connect = document.getElementById('connect')
if (connect && wallet) {
  connect.hidden = false
  connect.addEventListener('click', guarded(async () => {
    const [address] = await wallet.request({ method: 'eth_requestAccounts' })
    location.href = '/operator/sign-in?address=' + encodeURIComponent(address)
  }))
}

const sign = document.getElementById('sign')
const button = document.getElementById('wallet')
if (sign && button && wallet) {
  button.hidden = false
  button.addEventListener('click', guarded(async () => {
    const message = sign.elements.message.value
    sign.elements.signature.value = await personalSign(message, sign.dataset.wallet)
    sign.submit()
  }))
}

for (const form of document.querySelectorAll('form[data-signer]')) {
  if (!form.dataset.signer) continue
  form.addEventListener('submit', guarded(async () => {
    if (!wallet) throw new Error('No wallet is in this browser: an act has to be signed')
    const body = new URLSearchParams(new FormData(form)).toString()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)))
    const contentDigest = 'sha-256=:' + base64(digest) + ':'
    const created = Math.floor(Date.now() / 1000)
    const nonce = hex(crypto.getRandomValues(new Uint8Array(16))).slice(2)
    const parameters = '("@authority" "@method" "@path" "content-digest");created=' + created + ';expires=' + (created + 120) +
      ';nonce="' + nonce + '";keyid="erc8128:84532:' + form.dataset.signer.toLowerCase() + '"'
    const path = new URL(form.action).pathname
    const base = ['"@authority": ' + location.host, '"@method": POST', '"@path": ' + path, '"content-digest": ' + contentDigest,
      '"@signature-params": ' + parameters].join('\\n')
    const signature = await personalSign(base, form.dataset.signer)
    const bytes = new Uint8Array(signature.slice(2).match(/../g).map(pair => parseInt(pair, 16)))
    const answer = await fetch(path, { method: 'POST', body, headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json',
      'content-digest': contentDigest, 'signature-input': 'eth=' + parameters, signature: 'eth=:' + base64(bytes) + ':' } })
    const { message, ...rest } = await answer.json()
    say(answer.ok ? 'Done: ' + JSON.stringify(rest) : 'Refused: ' + message)
  }))
}
`
