// In a form that needs a passkey: requests it from the browser, and submits the result with the form.
(function () {
  'use strict';
  var Credential = window.PublicKeyCredential;
  if (!Credential || !Credential.parseRequestOptionsFromJSON) return;

  function ask(form) {
    var options = JSON.parse(form.dataset.passkey);
    return form.dataset.kind === 'register'
      ? navigator.credentials.create({ publicKey: Credential.parseCreationOptionsFromJSON(options) })
      : navigator.credentials.get({ publicKey: Credential.parseRequestOptionsFromJSON(options) });
  }

  function explain(kind, error) {
    if (kind !== 'register') return 'The browser has no passkey to show for this (' + error + ').';
    if (error === 'InvalidStateError') return 'This device already has a passkey of your account.';
    return 'The browser created no passkey (' + error + '). Try again.';
  }

  document.querySelectorAll('form[data-passkey]').forEach(function (form) {
    // Without JavaScript, such a form stays hidden.
    form.hidden = false;
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      var problem = form.querySelector('[role="alert"]');
      problem.textContent = '';
      ask(form).then(
        function (credential) {
          form.elements.answer.value = JSON.stringify(credential.toJSON());
          form.submit();
        },
        function (error) {
          problem.textContent = explain(form.dataset.kind, error.name);
        },
      );
    });
  });
})();
