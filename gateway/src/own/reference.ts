import { html, page } from './page.ts'

/** The API reference: swagger-ui from this machine, fed by /openapi.json. Works without any other site; a plain link is left without scripts. */
export const referencePage = page({
  title: 'API reference · Carapace',
  head: html`<link rel="stylesheet" href="/assets/swagger-ui.css">
<script defer src="/assets/swagger-ui-bundle.js"></script>
<script defer src="/assets/reference.js"></script>`,
  main: html`<h1>API reference</h1>
<p>The whole interface as <a href="/openapi.json">OpenAPI 3.1</a>, the events as <a href="/asyncapi.json">AsyncAPI 3.0</a>.</p>
<div id="reference"></div>`,
})

/** Runs in the browser. */
export const referenceScript = `window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
})
`
