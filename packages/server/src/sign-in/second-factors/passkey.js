// Where a form wants a passkey: asks the browser for it, and sends its answer with the form.
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

  document.querySelectorAll('form[data-passkey]').forEach(function (form) {
    // Without JavaScript such a form leads nowhere, and is not shown.
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
          problem.textContent = 'The browser has no passkey to show for this (' + error.name + ').';
        },
      );
    });
  });
})();
