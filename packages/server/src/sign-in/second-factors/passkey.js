// In a form that needs a passkey: requests it from the browser, and submits the result with the form.
(function () {
  'use strict';
  var Credential = window.PublicKeyCredential;
  var isAble = Credential && Credential.parseRequestOptionsFromJSON;

  function ask(form, options) {
    return form.dataset.kind === 'register'
      ? navigator.credentials.create({ publicKey: Credential.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: Credential.parseRequestOptionsFromJSON(options) });
  }

  /** @param host that passkeys are for: another address of the server has no access to them */
  function explain(kind, error, host) {
    if (error === 'SecurityError') return 'Passkeys of this server work only at ' + host + ': open it there.';
    if (kind !== 'register') return 'The browser has no passkey to show for this (' + error + ').';
    if (error === 'InvalidStateError') return 'This device already has a passkey of your account.';
    return 'The browser created no passkey (' + error + '). Try again.';
  }

  document.querySelectorAll('form[data-passkey]').forEach(function (form) {
    var kind = form.dataset.kind;
    // Beside a password, a passkey is only an offer.
    if (!isAble && kind === 'sign-in') return;
    // Without JavaScript, such a form stays hidden.
    form.hidden = false;
    if (!isAble) {
      form.textContent = 'This browser does not support passkeys. Update it, or use another browser.';
      return;
    }
    var options = JSON.parse(form.dataset.passkey);
    var host = kind === 'register' ? options.rp.id : options.rpId;
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      var problem = form.querySelector('[role="alert"]');
      problem.textContent = '';
      ask(form, options).then(
        function (credential) {
          form.elements.response.value = JSON.stringify(credential.toJSON());
          form.submit();
        },
        function (error) {
          problem.textContent = explain(kind, error.name, host);
        },
      );
    });
  });
})();
